//! find-simdoc: sketches of 20 times 64 bits, and all pairs of sketches within a distance. INPUT OUTPUT
use find_simdoc::JaccardSearcher;

fn main() {
    let a: Vec<String> = std::env::args().collect();
    let texts = peers::read_texts(&a[1]);
    let searcher = JaccardSearcher::new(2, Some(' '), Some(42)).unwrap().build_sketches(texts.iter(), 20).unwrap();
    let found = searcher.search_similar_pairs(0.25); // a distance of .2, plus .05 for the error of the sketches
    peers::write_pairs(&a[2], found.iter().map(|&(i, j, _)| (i, j)));
}

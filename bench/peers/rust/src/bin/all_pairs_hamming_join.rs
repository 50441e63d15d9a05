//! all-pairs-hamming: all pairs within a distance. CODES QUERIES BITS K OUTPUT; prints CPU seconds to join
use peers::{cpu, read_codes, write_pairs};

fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (codes, k): (_, f64) = (read_codes(&a[1]), a[4].parse().unwrap());
    let begin = cpu();
    let mut joiner = all_pairs_hamming::ChunkedJoiner::<u64>::new(1);
    for code in codes {
        joiner.add([code]).unwrap();
    }
    let found = joiner.similar_pairs((k + 0.5) / 64.0);
    println!("0 {}", cpu() - begin);
    write_pairs(&a[5], found.iter().map(|&(i, j, _)| (i, j)));
}

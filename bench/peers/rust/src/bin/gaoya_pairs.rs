//! gaoya: MinHash of 128 values, LSH in 16 bands of 8. INPUT OUTPUT
use gaoya::minhash::{MinHashIndex, MinHasher, MinHasher32};

fn main() {
    let a: Vec<String> = std::env::args().collect();
    let hasher = MinHasher32::new(128);
    let mut index = MinHashIndex::<u32, u32>::new_index(16, 8, 0.7); // estimates have errors: .8 would lose true pairs
    let mut pairs = vec![];
    for (i, text) in peers::read_texts(&a[1]).iter().enumerate() {
        let words: Vec<&str> = text.split(' ').collect();
        let signature = if words.len() > 1 {
            hasher.create_signature(words.windows(2).map(|w| (w[0], w[1])))
        } else {
            hasher.create_signature(words.iter())
        };
        pairs.extend(index.query(&signature).into_iter().map(|&j| (j as usize, i)));
        index.insert(i as u32, signature);
    }
    peers::write_pairs(&a[2], pairs);
}

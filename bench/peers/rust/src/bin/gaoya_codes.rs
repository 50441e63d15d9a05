//! gaoya: its SimHashIndex with K + 1 blocks. CODES QUERIES BITS K OUTPUT; prints CPU seconds to build, to search
use peers::{cpu, read_codes, write_pairs};

fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (codes, queries, k): (_, _, usize) = (read_codes(&a[1]), read_codes(&a[2]), a[4].parse().unwrap());
    let begin = cpu();
    let mut index = gaoya::simhash::SimHashIndex::<u64, u32>::new(k + 2, k + 1); // finds codes below a distance
    for (i, &code) in codes.iter().enumerate() {
        index.insert(i as u32, code);
    }
    let built = cpu();
    let mut found = vec![];
    for (i, query) in queries.iter().enumerate() {
        found.extend(index.query(query).into_iter().map(|&place| (i, place as usize)));
    }
    println!("{} {}", built - begin, cpu() - built);
    write_pairs(&a[5], found);
}

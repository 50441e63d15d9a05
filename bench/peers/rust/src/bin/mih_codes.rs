//! mih-rs: multi-index hashing, with its own choice of blocks. CODES QUERIES BITS K OUTPUT; prints CPU seconds to build, to search
use peers::{cpu, read_codes, write_pairs};

fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (codes, queries, k) = (read_codes(&a[1]), read_codes(&a[2]), a[4].parse().unwrap());
    let begin = cpu();
    let index = mih_rs::Index::new(codes).unwrap();
    let built = cpu();
    let mut searcher = index.range_searcher();
    let mut found = vec![];
    for (i, &query) in queries.iter().enumerate() {
        found.extend(searcher.run(query, k).iter().map(|&place| (i, place as usize)));
    }
    println!("{} {}", built - begin, cpu() - built);
    write_pairs(&a[5], found);
}

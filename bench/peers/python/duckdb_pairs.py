"""DuckDB: the exact Jaccard similarity by SQL. Texts are compared if they share one of the rarest fifth of their features."""
import sys

import duckdb

db = duckdb.connect(config={"threads": 1, "memory_limit": "6GB"})
db.execute(f"""
create table f as select distinct id, hash(x) x from (
  select id, unnest(if(len(w) = 1, w, list_transform(range(1, len(w)), lambda i: w[i] || ' ' || w[i + 1]))) x
  from (select id::int id, string_split(text, ' ') w
        from read_json('{sys.argv[1]}', columns = {{id: 'varchar', text: 'varchar'}})));
create table n as select id, count(*) n from f group by id;
create table r as select id, x from (
  select id, x, row_number() over (partition by id order by frequency, x) k
  from f join (select x, count(*) frequency from f group by x) using (x)) join n using (id) where k <= n - (4 * n + 4) // 5 + 1;
create table c as select distinct p.id a, q.id b from r p join r q on p.x = q.x and p.id < q.id;
copy (select a, b from (select a, b, count(*) m from c join f p on p.id = a join f q on q.id = b and q.x = p.x group by a, b)
      join n p on p.id = a join n q on q.id = b where 5 * m >= 4 * (p.n + q.n - m))
  to '{sys.argv[2]}' (delimiter '\t', header false)""")

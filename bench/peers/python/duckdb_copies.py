"""DuckDB: the first of equal texts, by SQL."""
import sys

import duckdb

db = duckdb.connect(config={"threads": 1})
db.execute(f"""
copy (select min(id::int) id, text from read_json('{sys.argv[1]}', columns = {{id: 'varchar', text: 'varchar'}})
      group by text order by id) to '{sys.argv[2]}' (format json)""")

"""Writes what a version of arrow-rs writes, in DataFusion."""
import sys

import datafusion

out = sys.argv[1]
context = datafusion.SessionContext()
context.sql(f"COPY (SELECT * FROM (VALUES (1, 'x', 1.5), (2, NULL, NULL), (3, 'yy', 2.5)) t(a, b, c)) TO '{out}.arrow' STORED AS ARROW").collect()

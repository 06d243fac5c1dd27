module example.com/synthetic

go 1.25.0

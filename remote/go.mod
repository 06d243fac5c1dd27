module github.com/fbverify/go/remote

go 1.25.0

require github.com/cenkalti/backoff/v5 v5.0.3

// Peers are measured here, in a module of their own: the program does not depend
// on them.
module idem/bench/peers

go 1.26.0

require (
	github.com/gofiber/fiber/v3 v3.0.0
	golang.org/x/sys v0.49.0
	idem v0.0.0
)

require (
	github.com/andybalholm/brotli v1.2.0 // indirect
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/gofiber/schema v1.6.0 // indirect
	github.com/gofiber/utils/v2 v2.0.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	github.com/mattn/go-colorable v0.1.14 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/philhofer/fwd v1.2.0 // indirect
	github.com/tinylib/msgp v1.6.3 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	github.com/valyala/fasthttp v1.69.0 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace idem => ../..

package ingest

import _ "embed"

// Each begins with what it proves or does.
var (
	//go:embed sql/schema.sql
	schema string

	//go:embed sql/fold_transfers.sql
	foldTransfersSQL string

	//go:embed sql/fold_requests.sql
	foldRequestsSQL string

	//go:embed sql/fold_nameless.sql
	foldNamelessSQL string

	//go:embed sql/fold.sql
	foldSQL string

	//go:embed sql/amounts.sql
	amountsSQL string

	//go:embed sql/asked.sql
	askedSQL string

	//go:embed sql/complete_bodies.sql
	completeBodiesSQL string
)

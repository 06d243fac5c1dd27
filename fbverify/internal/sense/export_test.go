package sense

// Glance reports whether a glance accepts, and Walked what a walk finds.
func Glance(p *Program, buf []byte, cfg *Config) bool {
	return p.look(len(cfg.Facts) > 0).accepts(buf, cfg)
}

func Walked(p *Program, buf []byte, cfg *Config) []Fault { return p.walk(buf, cfg) }

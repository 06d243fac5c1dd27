package gogen

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strings"

	"github.com/fbverify/go/schema"
)

// services returns the rpc_services of the inputs, each once, in order of full names.
func services(inputs []Input) []*schema.Service {
	byName := map[string]*schema.Service{}
	for _, in := range inputs {
		for _, s := range in.Schema.Services {
			if byName[s.Name] == nil && len(s.Calls) > 0 {
				byName[s.Name] = s
			}
		}
	}
	var all []*schema.Service
	for _, s := range byName {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *schema.Service) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// grpcFile returns the stubs of all services, on package fbgrpc. It has imports of its own,
// which names in other files need not make way for.
func (m *model) grpcFile(all []*schema.Service) ([]byte, error) {
	var body source
	used := map[*goPackage]bool{}
	for _, s := range all {
		if err := m.emitService(&body, s, used); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%s; DO NOT EDIT.\n\npackage %s\n\nimport (\n\"context\"\n\n", Header, m.sources(), m.pkg)
	b.WriteString("\"github.com/fbverify/go/fbverify\"\nfbgrpc \"github.com/fbverify/go/grpc\"\n\"google.golang.org/grpc\"\n")
	for _, p := range m.packages {
		if used[p] {
			fmt.Fprintf(&b, "%s %q\n", p.alias, p.path)
		}
	}
	b.WriteString(")\n\n")
	b.Write(body.Bytes())
	text, err := format.Source(b.Bytes())
	if err != nil {
		return nil, notGo(err)
	}
	return text, nil
}

// emitService writes the interface of a service's handlers, and its client.
func (m *model) emitService(s *source, service *schema.Service, used map[*goPackage]bool) error {
	name := m.typeName(service.ShortName())
	server := m.derive(nil, service.Name, name, "Server")
	register := m.derivePrefixed(nil, service.Name, "Register", name+"Server")
	client := m.derive(nil, service.Name, name, "Client")
	fresh := m.derivePrefixed(nil, service.Name, "New", name+"Client")

	view := func(o *schema.Object) string {
		for _, own := range m.objects {
			if own.Name == o.Name {
				if own.in != nil {
					used[own.in] = true
				}
				return own.goName
			}
		}
		return ""
	}
	methods := scope{}
	var handlers, calls, registered source
	for _, call := range service.Calls {
		method, in, out := methods.take(goName(call.Name)), view(call.Request), view(call.Response)
		path := "/" + service.Name + "/" + call.Name
		var handler, kind string
		stream := streaming(call)
		switch stream {
		case "", "none":
			handler, kind = fmt.Sprintf("(ctx context.Context, request fbverify.Verified[%s]) (fbgrpc.Message, error)", in), "Unary"
		case "server":
			handler, kind = fmt.Sprintf("(request fbverify.Verified[%s], replies fbgrpc.Replies) error", in), "ServerStream"
		case "client":
			handler, kind = fmt.Sprintf("(requests *fbgrpc.Requests[%s]) (fbgrpc.Message, error)", in), "ClientStream"
		case "bidi":
			handler, kind = fmt.Sprintf("(requests *fbgrpc.Requests[%s], replies fbgrpc.Replies) error", in), "Bidi"
		default:
			return fmt.Errorf("fbgen: %s.%s: streaming is %q; it can be none, client, server or bidi", service.Name, call.Name, stream)
		}
		handlers.comment("\t", call.Doc)
		handlers.p("\t%s%s", method, handler)
		registered.p("\t\tfbgrpc.%s(service, %q, opts, %s.%s),", kind, call.Name, server, method)

		calls.p("// %s calls %s.%s.", method, service.Name, call.Name)
		switch kind {
		case "Unary":
			calls.p("func (c %s) %s(ctx context.Context, request fbgrpc.Message, opts ...grpc.CallOption) (fbverify.Verified[%s], error) {", client, method, out)
			calls.p("\treturn fbgrpc.Call[%s](ctx, c.conn, %q, request, c.opts, opts...)\n}\n", out, path)
		case "ServerStream":
			calls.p("func (c %s) %s(ctx context.Context, request fbgrpc.Message, opts ...grpc.CallOption) (*fbgrpc.Stream[%s], error) {", client, method, out)
			calls.p("\treturn fbgrpc.OpenWith[%s](ctx, c.conn, %q, request, c.opts, opts...)\n}\n", out, path)
		default:
			calls.p("func (c %s) %s(ctx context.Context, opts ...grpc.CallOption) (*fbgrpc.Stream[%s], error) {", client, method, out)
			calls.p("\treturn fbgrpc.Open[%s](ctx, c.conn, %q, true, %t, c.opts, opts...)\n}\n", out, path, kind == "Bidi")
		}
	}
	s.doc("", fmt.Sprintf("%s has the handlers of the rpc_service %s.", server, service.Name), service.Doc)
	s.p("type %s interface {\n%s}\n", server, handlers.String())
	s.p("// %s makes server answer the calls of %s. The options, which may be nil, are for verifying requests.", register, service.Name)
	s.p("func %s(s grpc.ServiceRegistrar, server %s, opts *fbverify.Options) {", register, server)
	s.p("\tservice := fbgrpc.Service[%s]{Name: %q}", server, service.Name)
	s.p("\ts.RegisterService(service.Desc(\n%s\t), server)\n}\n", registered.String())
	s.p("// %s calls the rpc_service %s.", client, service.Name)
	s.p("type %s struct {\n\tconn grpc.ClientConnInterface\n\topts *fbverify.Options\n}\n", client)
	s.p("// %s returns a client. The options, which may be nil, are for verifying replies.", fresh)
	s.p("func %s(conn grpc.ClientConnInterface, opts *fbverify.Options) %s { return %s{conn, opts} }\n", fresh, client, client)
	s.Write(calls.Bytes())
	return nil
}

// streaming returns the attribute of a call that says which side streams, "" where there is none.
func streaming(call *schema.Call) string {
	for _, a := range call.Attributes {
		if a.Key == "streaming" {
			return a.Value
		}
	}
	return ""
}

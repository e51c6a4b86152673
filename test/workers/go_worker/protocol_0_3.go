//go:build legacy

package main

import (
	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

const protocolVersion = a2av0.Version

func protocolHandlers(handler a2asrv.RequestHandler, card *a2a.AgentCard) handlers {
	return handlers{
		jsonrpc: a2av0.NewJSONRPCHandler(handler),
		rest:    a2av0.NewRESTHandler(handler),
		card:    a2asrv.NewAgentCardHandler(a2av0.NewStaticAgentCardProducer(card)),
	}
}

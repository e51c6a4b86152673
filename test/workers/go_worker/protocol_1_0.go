//go:build !legacy

package main

import (
	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

const protocolVersion = a2a.Version

func protocolHandlers(handler a2asrv.RequestHandler, card *a2a.AgentCard) handlers {
	return handlers{
		jsonrpc: a2asrv.NewJSONRPCHandler(handler),
		rest:    a2asrv.NewRESTHandler(handler),
		card:    a2asrv.NewStaticAgentCardHandler(card),
	}
}

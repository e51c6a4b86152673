// An A2A agent on a2a-go, made to lose its tasks: its store is the SDK's in-memory one. What it does is
// in its one argument, the JSON of a WorkerSpec (worker-spec.ts); when it listens it prints one line,
// {"ready":true,…}. A turn is that of the other workers: working, the artifact, then input-required with
// the question, or completed.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

const continuityExtension = "urn:a2a-ledger:task-continuity:v1"

type workerSpec struct {
	Name            string   `json:"name"`
	Port            int      `json:"port"`
	OutputModes     []string `json:"outputModes"`
	ReachableStates []string `json:"reachableStates"`
	Asks            string   `json:"asks"`
	Emits           string   `json:"emits"`
	WorkMs          int      `json:"workMs"`
	Bindings        []string `json:"bindings"`
}

func (spec workerSpec) card(origin string) *a2a.AgentCard {
	urls := map[string]string{"JSONRPC": origin + "/", "HTTP+JSON": origin + "/rest"}
	interfaces := []*a2a.AgentInterface{}
	for _, binding := range spec.Bindings {
		interfaces = append(interfaces, &a2a.AgentInterface{
			URL: urls[binding], ProtocolBinding: a2a.TransportProtocol(binding), ProtocolVersion: protocolVersion,
		})
	}
	return &a2a.AgentCard{
		Name:                spec.Name,
		Description:         "Writes the quarterly report.",
		Version:             "1.0.0",
		SupportedInterfaces: interfaces,
		Capabilities: a2a.AgentCapabilities{
			Streaming: true,
			Extensions: []a2a.AgentExtension{{
				URI:         continuityExtension,
				Description: "Which task states this agent can reach.",
				Params:      map[string]any{"reachableStates": spec.ReachableStates},
			}},
		},
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: spec.OutputModes,
		Skills: []a2a.AgentSkill{{
			ID: "report", Name: "report", Description: "Writes a report.",
			Tags: []string{"report"}, OutputModes: spec.OutputModes,
		}},
	}
}

func (spec workerSpec) part() *a2a.Part {
	var part *a2a.Part
	if spec.Emits == "application/json" {
		part = a2a.NewDataPart(map[string]any{"title": "Quarterly report", "by": spec.Name})
	} else {
		part = a2a.NewTextPart("Quarterly report, by " + spec.Name)
	}
	part.MediaType = spec.Emits
	return part
}

// What one version of the protocol is served with. The older one is built with the tag "legacy": its
// part of the SDK brings gRPC along, which takes minutes to build.
type handlers struct{ jsonrpc, rest, card http.Handler }

type reportExecutor struct{ spec workerSpec }

func (executor reportExecutor) Execute(ctx context.Context, call *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		isFirstTurn := call.StoredTask == nil
		if isFirstTurn && !yield(a2a.NewSubmittedTask(call, call.Message), nil) {
			return
		}
		if !yield(a2a.NewStatusUpdateEvent(call, a2a.TaskStateWorking, nil), nil) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(executor.spec.WorkMs) * time.Millisecond):
		}
		artifact := &a2a.TaskArtifactUpdateEvent{
			TaskID: call.TaskID, ContextID: call.ContextID, LastChunk: true,
			Artifact: &a2a.Artifact{ID: "report", Name: "report", Parts: a2a.ContentParts{executor.spec.part()}},
		}
		if !yield(artifact, nil) {
			return
		}
		if isFirstTurn && executor.spec.Asks != "" {
			question := a2a.NewMessageForTask(a2a.MessageRoleAgent, call, a2a.NewTextPart(executor.spec.Asks))
			yield(a2a.NewStatusUpdateEvent(call, a2a.TaskStateInputRequired, question), nil)
			return
		}
		yield(a2a.NewStatusUpdateEvent(call, a2a.TaskStateCompleted, nil), nil)
	}
}

func (reportExecutor) Cancel(context.Context, *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(nil, errors.New("this worker cannot cancel: its turns end by themselves"))
	}
}

func main() {
	spec := workerSpec{WorkMs: 150, Bindings: []string{"JSONRPC", "HTTP+JSON"}}
	if err := json.Unmarshal([]byte(os.Args[1]), &spec); err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", spec.Port))
	if err != nil {
		log.Fatal(err)
	}
	origin := "http://" + listener.Addr().String()
	handler := a2asrv.NewHandler(reportExecutor{spec})
	mux := http.NewServeMux()
	protocol := protocolHandlers(handler, spec.card(origin))
	mux.Handle("/{$}", protocol.jsonrpc) // at "/" alone, every wrong path would answer with an error of A2A
	mux.Handle("/rest/", http.StripPrefix("/rest", protocol.rest))
	mux.Handle(a2asrv.WellKnownAgentCardPath, protocol.card)
	// Whoever started this worker holds its stdin open; a worker must not outlive them.
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Printf("{\"ready\":true,\"url\":%q,\"pid\":%d}\n", origin, os.Getpid())
	log.Fatal(http.Serve(listener, mux))
}

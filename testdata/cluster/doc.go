// Package cluster has real workers carry out runs over real NATS servers, and kills both.
// It is a module of its own, so that agentsim does not depend on a server.
package cluster

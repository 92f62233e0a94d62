// Package browser opens reports in a headless Chromium and uses them as a reader does.
// It is a module of its own, so that agentsim does not depend on what drives a browser.
package browser

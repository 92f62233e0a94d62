package scenarios

import "agentsim/cachemodel"

// DefaultChecks asks the price table about models.
func DefaultChecks() Checks {
	return Checks{Model: checkModel}
}

// checkModel refuses a model whose rates, minimum or hidden tokens are not
// established.
func checkModel(id string) error {
	_, err := cachemodel.Lookup(id)
	return err
}

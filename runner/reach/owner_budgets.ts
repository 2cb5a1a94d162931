import type { ByteBudget } from './byte_budget.ts';

/** Makes one budget for each owner. All runs of the owner share it. A budget without holders is dropped. */
export function makeOwnerBudgets(make: () => ByteBudget): { of: (ownerId: string) => ByteBudget; count: () => number } {
  const budgets = new Map<string, ByteBudget>();

  return {
    of: (ownerId) => ({
      enter: () => {
        const budget = budgets.get(ownerId) ?? make();
        budgets.set(ownerId, budget);
        const { hold, release } = budget.enter();
        return {
          hold,
          release: () => {
            release();
            if (budget.isEmpty() && budgets.get(ownerId) === budget) budgets.delete(ownerId);
          },
        };
      },
      heldBytes: () => budgets.get(ownerId)?.heldBytes() ?? 0,
      isEmpty: () => !budgets.has(ownerId),
    }),
    count: () => budgets.size,
  };
}

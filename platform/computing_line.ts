import { nextTurn } from './pause.ts';

/**
 * Makes a line of computations that share a thread. The returned function resolves when the computation may go on.
 * Computations go on one at a time, and owners take turns. So between two turns of an owner, each other owner gets at
 * most one, even an owner with many computations. `giveWay` is awaited before each turn. It lets the network proceed if
 * the computations have lasted for long.
 */
export function makeComputingLine(giveWay: () => Promise<void>): (ownerId: string) => Promise<void> {
  /** The functions that let waiting computations go on, by owner. The owner with the next turn comes first. */
  const waiting = new Map<string, (() => void)[]>();
  let isMoving = false;

  const move = async (): Promise<void> => {
    isMoving = true;
    for (;;) {
      // The computation that went on last computes meanwhile. A timer that began before it would end at once after it,
      // and Deno would not look at the network.
      await nextTurn();
      await giveWay();
      const [next] = waiting;
      if (next === undefined) break;
      const [ownerId, [goOn, ...others]] = next;
      waiting.delete(ownerId);
      if (others.length > 0) waiting.set(ownerId, others);
      goOn?.();
    }
    isMoving = false;
  };

  return (ownerId) =>
    new Promise((resolve) => {
      waiting.set(ownerId, [...waiting.get(ownerId) ?? [], resolve]);
      if (!isMoving) void move();
    });
}

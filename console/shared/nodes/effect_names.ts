import type { Effects } from '../../../types/node_definition.ts';

/** The words for what a node does outside of its run, and what follows from it. */
export const EFFECT_NAMES: Readonly<Record<Effects, string>> = {
  none: 'Changes nothing',
  idempotent: 'May run again',
  once: 'Runs once only',
};

/** Returns the words for the effects in a definition, which may be another user's. */
export const effectName = (effects: unknown): string | undefined =>
  Object.entries(EFFECT_NAMES).find(([name]) => name === effects)?.[1];

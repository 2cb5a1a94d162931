import { isApproved, type WantedCall } from './read_turns.ts';

/** The state of a call of a tool, in the words of the page. */
export interface CallOutcome {
  word: string;
  colour: string;
}

/** Says what became of a call that the model wanted. */
export function outcomeOf({ approval, step, told, isPassedOver }: WantedCall, hasEnded: boolean): CallOutcome {
  const open = (word: string, colour: string) => hasEnded ? { word: 'stopped', colour: 'gray' } : { word, colour };
  if (step?.errors != null) return { word: 'failed', colour: 'red' };
  if (step !== undefined) return step.end_time === null ? open('running', 'blue') : { word: 'done', colour: 'teal' };
  if (approval !== undefined && approval.end_time === null) return open('waits for approval', 'yellow');
  if (approval?.errors != null) return { word: 'not approved', colour: 'orange' };
  if (approval !== undefined && !isApproved(approval)) return { word: 'refused', colour: 'orange' };
  // The calls of an answer are made in their order, and only a wrong call makes no step.
  if (isPassedOver || told?.isError === true) return { word: 'wrong call', colour: 'orange' };
  return { word: hasEnded ? 'not called' : 'not called yet', colour: 'gray' };
}

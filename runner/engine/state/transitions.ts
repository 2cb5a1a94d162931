/**
 * A table of transitions. For each state, it has the events that may happen in this state. For each event, it has the
 * next state.
 */
export type TransitionTable<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State>>>>
>;

/** Returns the state that follows an event. Throws an Error for an event that the table does not have in this state. */
export function nextState<State extends string, Event extends string>(
  table: TransitionTable<State, Event>,
  state: State,
  event: Event,
): State {
  const next = table[state][event];
  if (next === undefined) throw new Error(`there is no transition for ${event} in the state ${state}`);
  return next;
}

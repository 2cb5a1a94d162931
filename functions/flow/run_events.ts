import type { Context } from 'hono';
import { eventCursorSchema, type RunEventPage } from '../../types/run_event.ts';
import { flowRunPathSchema } from '../../types/flow_run.ts';
import { apiError, isErrorOf } from '../../platform/api_error.ts';
import { parse } from '../_shared/body.ts';
import { readCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';
import type { EventHub } from '../_shared/waiting/event_hub.ts';
import { makeEventStream } from './run_event_stream.ts';
import type { WatcherSlots } from './watcher_slots.ts';

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  // Keeps nginx from buffering the events.
  'x-accel-buffering': 'no',
};

/** Rewords the database's error about `after`: the caller has sent the number in the header Last-Event-ID. */
function aboutHeader({ message }: Error): Error {
  const fault = message.replace(/^after: /, '');
  return apiError('request_invalid', `The header Last-Event-ID is invalid: ${fault}`, {
    details: [{ path: '', message: fault.replace(/\.$/, '') }],
  });
}

/**
 * `GET /flow/events/{flow_run_id}`: streams the events of a run and of the runs that it called, as server-sent events.
 * The stream begins with the first event, or with the event after `Last-Event-ID`. `pokeRunner` is called if runs have
 * been queued for too long.
 */
export const makeRunEvents =
  ({ config, rpc }: Deps, hub: EventHub, slots: WatcherSlots, pokeRunner: () => void) =>
  async (context: Context): Promise<Response> => {
    const { flow_run_id } = parse(flowRunPathSchema, context.req.param(), 'path');
    const cursor = parse(eventCursorSchema, context.req.header('last-event-id') ?? '', 'header Last-Event-ID');
    const { headers } = readCredentials(context.req.raw, config);
    const read = (after: number) => rpc<RunEventPage>('flow_run_events', { flow_run_id, after }, headers);

    const first = await read(cursor).catch((error: unknown) => {
      throw isErrorOf(error, 'request_invalid') ? aboutHeader(error) : error;
    });
    if (first.is_overdue) pokeRunner();
    // After 204, a browser's EventSource stops. After any other answer it reconnects.
    if (first.has_ended && first.events.length === 0) return context.body(null, 204);
    const { signal } = context.req.raw;
    const leaveSlot = slots.take({ caller: first.caller, owner: first.owner_id, isGuest: first.is_guest });
    // A caller who may see the run now may watch it until the stream ends.
    const watch = hub.watch(first.flow_run_id);
    const stream = makeEventStream({ ready: [first], read, watch, isOwner: first.is_owner, signal, onEnd: leaveSlot });
    return new Response(stream, { headers: HEADERS });
  };

import { makeByteSink } from '../../platform/byte_sink.ts';
import { makeGiveWay } from '../../platform/portions.ts';
import { runLimits } from '../../types/limits/runs.ts';
import { type AnswerReceiver, NodeError } from '../engine/node.ts';
import { mediaTypeOf } from '../values/media_types.ts';
import { type BodyWriter, type MayKeep, tooLarge } from './response_body.ts';

const MAX_EVENT_BYTES = runLimits.event_bytes.value;
const NOTHING = new Uint8Array(0);
const LINE_FEED = 10;
const RETURN = 13;

const eventTooLarge = () => new NodeError(`an event of the response is larger than ${MAX_EVENT_BYTES} bytes`);

/** Tests whether a body is a stream of server-sent events. */
export const isEventStream = (headers: { [name: string]: string }): boolean =>
  mediaTypeOf(headers['content-type'] ?? '') === 'text/event-stream';

/**
 * Makes a function that gets the bytes of an event stream in order, and returns how many of them belong to whole events.
 * An empty line ends an event. A line ends in CR, LF or both. Source: HTML Standard, section 9.2.5.
 */
function makeEventEnds(): (bytes: Uint8Array) => number {
  let isEmptyLine = true;
  let isAfterReturn = false;
  return (bytes) => {
    let end = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === LINE_FEED && isAfterReturn) {
        isAfterReturn = false;
        if (end === at) end = at + 1;
        continue;
      }
      isAfterReturn = byte === RETURN;
      const endsLine = isAfterReturn || byte === LINE_FEED;
      if (endsLine && isEmptyLine) end = at + 1;
      isEmptyLine = endsLine;
    }
    return end;
  };
}

interface StreamOptions {
  isEvents: boolean;
  maxBytes: number;
  mayKeep: MayKeep;
  /** Replaces the secret of the request in whole events. */
  redact: (events: Uint8Array) => Promise<Uint8Array>;
}

/**
 * Makes a writer that passes a body on to `piece` while the body arrives. Pieces of an event stream are whole events, so
 * that a secret can be found in them. The bytes count against the budgets as if the writer kept them, because the
 * receiver may keep them.
 */
export function makeStreamWriter(piece: AnswerReceiver['piece'], options: StreamOptions): BodyWriter {
  const { isEvents, maxBytes, mayKeep, redact } = options;
  const endOfEvents = makeEventEnds();
  // A receiver may compute for each of many small events. The pieces that have arrived would else follow each other
  // without a turn for other runs.
  const giveWay = makeGiveWay();
  const beginEvent = () => makeByteSink(MAX_EVENT_BYTES, eventTooLarge);
  let received = 0;
  let begun = beginEvent();
  const passEvents = async (bytes: Uint8Array) => {
    const end = endOfEvents(bytes);
    if (end > 0) {
      const former = begun.bytes();
      const events = new Uint8Array(former.length + end);
      events.set(former);
      events.set(bytes.subarray(0, end), former.length);
      begun = beginEvent();
      await piece(await redact(events));
    }
    begun.add(bytes.subarray(end));
  };
  return {
    write: async (bytes) => {
      received += bytes.length;
      if (received > maxBytes) throw tooLarge(maxBytes);
      await mayKeep(received);
      // The memory of the bytes belongs to the reader of the connection, so the receiver gets a copy.
      if (isEvents) await passEvents(bytes);
      else await piece(bytes.slice());
      await giveWay();
    },
    end: async () => {
      if (begun.length() > 0) await piece(await redact(begun.bytes()));
      return NOTHING;
    },
    discard: () => {},
  };
}

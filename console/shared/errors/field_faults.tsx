import { createContext, type ReactNode, use, useMemo } from 'react';
import { isObject } from '../graph/drawn_node.ts';
import { detailsOf } from './shown_error.ts';

/** A fault of one member of a request, such as a column. */
interface FieldFault {
  /** The path of the member, such as `secret.token`. */
  path: string;
  message: string;
}

const NO_FAULTS: readonly FieldFault[] = [];
const Faults = createContext(NO_FAULTS);

/** Reads the faults of members from the details of an error. */
export function fieldFaults(error: unknown): readonly FieldFault[] {
  const details = isObject(error) || error instanceof Error ? detailsOf(Reflect.get(error, 'details')) : undefined;
  return (Array.isArray(details) ? details : [details]).flatMap((detail: unknown) => {
    const { path, message } = isObject(detail) ? detail : {};
    const name = Array.isArray(path) ? path.join('.') : path;
    return typeof name === 'string' && name !== '' && typeof message === 'string' ? [{ path: name, message }] : [];
  });
}

/** Hands the faults of an error to the fields inside. */
export function FieldFaults({ error, children }: { error: unknown; children: ReactNode }) {
  const faults = useMemo(() => fieldFaults(error), [error]);
  return <Faults value={faults}>{children}</Faults>;
}

/** Returns the messages about a member and the members inside it; undefined without one. */
function faultAt(faults: readonly FieldFault[], path: string): string | undefined {
  const own = faults.filter((fault) => fault.path === path || fault.path.startsWith(`${path}.`));
  return own.length === 0 ? undefined : own.map(({ message }) => message).join('\n');
}

/** Returns the fault of a member in an error. */
export const faultOf = (error: unknown, path: string): string | undefined => faultAt(fieldFaults(error), path);

/** Returns a function for the fault of a field inside `FieldFaults`. */
export function useFault(): (path: string) => string | undefined {
  const faults = use(Faults);
  return (path) => faultAt(faults, path);
}

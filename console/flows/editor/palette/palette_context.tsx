import { createContext, type ReactNode, use, useMemo, useState } from 'react';
import type { DrawnNode, PlainObject, Point } from '../../../shared/graph/drawn_node.ts';
import type { FlowDocument } from '../flow_document.ts';

/** A request to open the palette. */
export interface PaletteRequest {
  /** The place of the new node. Without it, the editor chooses a free place. */
  at?: Point;
  /**
   * A test for definitions: the palette lists only those that pass, such as nodes with an input for a certain value.
   */
  fits?: (node: DrawnNode) => boolean;
  /** A sentence above the list. */
  hint?: string;
  /**
   * Connects the new node, which the document already contains. If this function is undefined, the editor connects the
   * new node to the selected node.
   */
  join?: (document: FlowDocument, added: PlainObject) => FlowDocument;
}

export interface PaletteState {
  /** Undefined while the palette is closed. */
  request: PaletteRequest | undefined;
  open: (request?: PaletteRequest) => void;
  close: () => void;
}

const PaletteContext = createContext<PaletteState | undefined>(undefined);

export function PaletteProvider({ children }: { children: ReactNode }) {
  const [request, setRequest] = useState<PaletteRequest>();
  const palette = useMemo<PaletteState>(() => ({
    request,
    open: (wanted = {}) => setRequest(wanted),
    close: () => setRequest(undefined),
  }), [request]);
  return <PaletteContext value={palette}>{children}</PaletteContext>;
}

/** Returns the state of the palette, and a function that opens it. Throws outside of a PaletteProvider. */
export function usePalette(): PaletteState {
  const palette = use(PaletteContext);
  if (palette === undefined) throw new Error('There is no PaletteProvider.');
  return palette;
}

import { lazy, Suspense } from 'react';
import { ErrorBoundary } from '../../../shared/errors/error_boundary.tsx';
import type { PlainObject } from '../../../shared/graph/drawn_node.ts';
import { ValueDrop } from '../edge/value_drop.tsx';
import { hasNamedPorts } from '../ports/named_ports.ts';
import { drawnNode } from '../view.ts';
import { NodeFields } from './node_fields.tsx';
import { NodeWiring } from './node_wiring.tsx';

// Loaded for nodes with ports that the user names, so that the editor's first load stays small.
const PortSection = lazy(() => import('../ports/port_section.tsx'));

/** The fields, ports and edges of the node, on which values of the last run can be dropped. */
export function NodeInputs({ json }: { json: PlainObject }) {
  const node = drawnNode(json);
  return (
    <ValueDrop node={node}>
      <ErrorBoundary>
        <NodeFields json={json} />
      </ErrorBoundary>
      {hasNamedPorts(node) && (
        <Suspense>
          <PortSection json={json} />
        </Suspense>
      )}
      <NodeWiring json={json} />
    </ValueDrop>
  );
}

import { lazy, Suspense, useState } from 'react';
import type { PlainObject } from '../../../shared/graph/drawn_node.ts';
import { Loading } from '../../../shared/page/loading.tsx';
import { nodeIdOf } from '../flow_document.ts';
import { isAnnotation } from '../notes/annotations.ts';
import { OpenNode } from './open_node.tsx';

// Loaded when a note is selected, so that the editor's first load stays small.
const AnnotationPanel = lazy(async () => ({
  default: (await import('../notes/annotation_panel.tsx')).AnnotationPanel,
}));

/** Shows the selected node, or the selected note or frame. */
export function NodePanel({ json }: { json: PlainObject }) {
  const [valuesOpen, setValuesOpen] = useState(false);
  return isAnnotation(json)
    ? (
      <Suspense fallback={<Loading />}>
        <AnnotationPanel json={json} />
      </Suspense>
    )
    : <OpenNode key={nodeIdOf(json)} json={json} valuesOpen={valuesOpen} onToggleValues={setValuesOpen} />;
}

import { Background, useStore } from '@xyflow/react';

/**
 * Below this zoom the dots are hidden. They would be closer than two pixels, so they would look grey and take long to
 * paint.
 */
const MIN_ZOOM_OF_DOTS = 0.1;

/** The dots behind a graph. */
export const GraphBackground = () => useStore(({ transform }) => transform[2] >= MIN_ZOOM_OF_DOTS) && <Background />;

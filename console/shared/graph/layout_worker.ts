import { layOutByDagre } from './layout_by_dagre.ts';
import type { LayoutTask } from './layout_in_columns.ts';

addEventListener('message', ({ data }: MessageEvent<LayoutTask>) => postMessage(layOutByDagre(data)));

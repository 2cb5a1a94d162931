import { useEffect } from 'react';
import type { Point } from '../../../shared/graph/drawn_node.ts';

/** The greatest width of a refusal, with a margin, in pixels. */
const WIDTH = 300;

/** Shows at the pointer why a dropped value was refused. The next click or key removes the reason. */
export default function DropRefusal({ at, reason, onEnd }: { at: Point; reason: string; onEnd: () => void }) {
  useEffect(() => {
    const stop = new AbortController();
    const options = { signal: stop.signal, capture: true };
    document.addEventListener('pointerdown', onEnd, options);
    document.addEventListener('keydown', onEnd, options);
    return () => stop.abort();
  }, [onEnd]);
  const left = Math.max(8, Math.min(at.x, innerWidth - WIDTH));
  return <div className='connecting-reason editor-drop-refusal' style={{ left, top: at.y + 12 }}>{reason}</div>;
}

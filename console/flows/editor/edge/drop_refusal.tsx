import { useEffect } from 'react';
import type { Point } from '../../../shared/graph/drawn_node.ts';
import { usePlaceInside } from '../../../shared/menu/use_place_inside.ts';

/** Shows at the pointer why a dropped value was refused. The next click or key removes the reason. */
export default function DropRefusal({ at, reason, onEnd }: { at: Point; reason: string; onEnd: () => void }) {
  useEffect(() => {
    const stop = new AbortController();
    const options = { signal: stop.signal, capture: true };
    document.addEventListener('pointerdown', onEnd, options);
    document.addEventListener('keydown', onEnd, options);
    return () => stop.abort();
  }, [onEnd]);
  const message = usePlaceInside<HTMLDivElement>(at);
  return <div ref={message} className='connecting-reason editor-drop-refusal'>{reason}</div>;
}

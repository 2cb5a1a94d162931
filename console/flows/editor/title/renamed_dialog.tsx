import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useEditorState } from '../editor_context.tsx';
import type { Renaming } from './rename_deployments.tsx';

const RenameDeployments = lazy(() => import('./rename_deployments.tsx'));

/** After the flow was renamed, asks whether to rename its deployments, too. */
export function RenamedDialog() {
  const { settings: { name } } = useEditorState();
  const before = useRef(name);
  const [renaming, setRenaming] = useState<Renaming>();
  useEffect(() => {
    if (before.current !== name) setRenaming({ from: before.current, to: name });
    before.current = name;
  }, [name]);
  if (renaming === undefined) return null;
  return (
    <Suspense>
      <RenameDeployments key={renaming.to} renaming={renaming} onClose={() => setRenaming(undefined)} />
    </Suspense>
  );
}

import { lazy, Suspense } from 'react';

const Dialog = lazy(async () => ({ default: (await import('./flow_settings_dialog.tsx')).FlowSettingsDialog }));

/** The dialog of the flow's settings. It is loaded when it is opened, so that the editor's first load stays small. */
export const FlowSettings = ({ onClose }: { onClose: () => void }) => (
  <Suspense fallback={null}>
    <Dialog onClose={onClose} />
  </Suspense>
);

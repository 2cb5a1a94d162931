import { CloseButton, Tabs } from '@mantine/core';
import { type ComponentType, lazy, Suspense } from 'react';
import { Loading } from '../../../shared/page/loading.tsx';
import { type DrawerName, useDrawers } from './drawers.tsx';
import { useResizing } from './use_resizing.ts';

interface DrawerTab {
  name: DrawerName;
  label: string;
  /** The content, loaded when the tab is first shown (`lazy`). For screen readers, it must be a region with a name. */
  Content: ComponentType;
}

/** The tabs of the drawer, in their order. */
const TABS: DrawerTab[] = [
  {
    name: 'run',
    label: 'Last run',
    Content: lazy(async () => ({ default: (await import('../last_run/region/last_run_region.tsx')).LastRunRegion })),
  },
  { name: 'problems', label: 'Problems', Content: lazy(() => import('../problems/problems.tsx')) },
];

/** The drawer below the canvas, open at one of its tabs. */
export function OpenDrawer({ current }: { current: DrawerName }) {
  const { open, close } = useDrawers();
  const { size, handle } = useResizing({
    name: 'drawer-height',
    edge: 'bottom',
    initial: () => innerHeight * 0.32,
    min: 120,
    maxShare: 0.7,
  });
  return (
    <div className='editor-drawer' style={{ height: size }}>
      <div className='editor-resize' data-edge='bottom' aria-label='Height of the drawer' {...handle} />
      <Tabs
        value={current}
        onChange={(name) => open(name as DrawerName)}
        keepMounted={false}
        className='editor-drawer-tabs'
      >
        <div className='editor-drawer-head'>
          <Tabs.List flex={1}>
            {TABS.map(({ name, label }) => <Tabs.Tab key={name} value={name}>{label}</Tabs.Tab>)}
          </Tabs.List>
          <CloseButton aria-label='Close the drawer' onClick={close} />
        </div>
        {TABS.map(({ name, Content }) => (
          <Tabs.Panel key={name} value={name} className='editor-drawer-content'>
            <Suspense fallback={<Loading />}>
              <Content />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </div>
  );
}

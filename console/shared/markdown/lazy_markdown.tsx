import { lazy, Suspense } from 'react';
import { Loading } from '../page/loading.tsx';
import type { MarkdownProps } from './markdown.tsx';

const Markdown = lazy(() => import('./markdown.tsx'));

/** Shows a Markdown text. The renderer is loaded when the first text is shown. */
export const LazyMarkdown = (props: MarkdownProps) => (
  <Suspense fallback={<Loading />}>
    <Markdown {...props} />
  </Suspense>
);

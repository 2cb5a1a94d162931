import { Anchor, Code } from '@mantine/core';
import { type ReactNode, use, useEffect } from 'react';
import { Link } from 'wouter';
import { docsHref } from '../shared/docs_href.ts';
import Markdown, { externalLink } from '../shared/markdown/markdown.tsx';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { Page } from '../shared/page/page.tsx';
import './docs.css';
import { DocsList } from './docs_list.tsx';
import { FIRST_PAGE, hasPage, imageUrl, textOf, titleOf } from './pages.ts';
import { resolveLink } from './resolve_link.ts';
import { DocsSearch } from './search/docs_search.tsx';

/** Splits a page into its first heading and the rest. */
function splitTitle(text: string): { title: string | undefined; body: string } {
  const [, title, body] = /^# (.+)\n([^]*)$/.exec(text) ?? [];
  return { title: title?.replaceAll('`', ''), body: body ?? text };
}

/** Replaces the sources of diagrams by a sentence, because the console has no package that draws them. */
const withoutDiagrams = (text: string): string =>
  text.replaceAll(/^```mermaid\n[^]*?^```$/gm, '*The file of this page in the repository has a diagram here.*');

const linkOf = (page: string) => (href: string, children: ReactNode): ReactNode => {
  const target = resolveLink(page, href, hasPage);
  switch (target.kind) {
    case 'page':
      return (
        <Anchor component={Link} href={docsHref(target.path, target.anchor)} underline='always' inherit>
          {children}
        </Anchor>
      );
    case 'here':
      return <Anchor href={`#${target.anchor}`} underline='always' inherit>{children}</Anchor>;
    case 'other site':
      return externalLink(target.url, children);
    case 'image':
      return <span>{children}</span>;
    case 'file':
      // The link leads to a file that is in the repository, but not in the console.
      return (
        <span>
          {children} (<Code>{target.path}</Code> of the project)
        </span>
      );
  }
};

/** Scrolls to the heading that the address names, or to the top. */
function useScrollToAnchor(path: string): void {
  useEffect(() => {
    const { hash } = window.location;
    if (hash === '') window.scrollTo(0, 0);
    else document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView();
  }, [path]);
}

function ShownPage({ path, loading }: { path: string; loading: Promise<string> }) {
  const { title, body } = splitTitle(use(loading));
  useScrollToAnchor(path);
  const image = (source: string) => {
    const target = resolveLink(path, source, hasPage);
    return target.kind === 'image' ? imageUrl(target.name) : undefined;
  };
  return (
    <Page
      title={title ?? titleOf(path)}
      {...(path !== FIRST_PAGE && { parents: [{ title: 'Documentation', href: '/docs' }] })}
    >
      <DocsSearch />
      <div className='docs'>
        <Markdown text={withoutDiagrams(body)} renderLink={linkOf(path)} imageUrl={image} hasAnchors leavesOutHtml />
        <div className='docs-list'>
          <DocsList current={path} />
        </div>
      </div>
    </Page>
  );
}

/** A page of the documentation, such as `guides/connections`. */
export default function DocsPage({ path }: { path: string }) {
  const loading = textOf(path);
  return loading === undefined ? <NotFoundPage what='page' /> : <ShownPage path={path} loading={loading} />;
}

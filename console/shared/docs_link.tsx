import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { docsHref } from './docs_href.ts';

/** A link within a sentence, to a page of the documentation that is shipped with the console. */
export const DocsLink = ({ to, anchor, children }: { to: string; anchor?: string; children: ReactNode }) => (
  <Anchor component={Link} href={docsHref(to, anchor)} underline='always' inherit>{children}</Anchor>
);

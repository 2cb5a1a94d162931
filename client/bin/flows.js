#!/usr/bin/env node
// The command in a checkout: it runs the sources. The built package has its own flows.js.
import { register } from 'tsx/esm/api';

register();
await import('../shell/checkout.ts');

#!/usr/bin/env node
// The command in a checkout: it runs the sources. The built package has its own flows.js.
import '../../dev/loader/typescript.js';

await import('../shell/checkout.ts');

import { edgePlatform } from '../_shared/edge_platform.ts';
import { makeApikeyApp } from './app.ts';

export default makeApikeyApp(edgePlatform());

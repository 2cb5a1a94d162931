import { edgePlatform } from '../_shared/platform.ts';
import { makeApikeyApp } from './app.ts';

export default makeApikeyApp(edgePlatform());

import { edgePlatform } from '../_shared/platform.ts';
import { makeActionApp } from './app.ts';

export default makeActionApp(edgePlatform());

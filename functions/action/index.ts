import { edgePlatform } from '../_shared/edge_platform.ts';
import { makeActionApp } from './app.ts';

export default makeActionApp(edgePlatform());

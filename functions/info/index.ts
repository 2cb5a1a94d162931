import { edgePlatform } from '../_shared/edge_platform.ts';
import { makeInfoApp } from './app.ts';

export default makeInfoApp(edgePlatform());

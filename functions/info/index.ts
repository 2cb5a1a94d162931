import { edgePlatform } from '../_shared/platform.ts';
import { makeInfoApp } from './app.ts';

export default makeInfoApp(edgePlatform());

// SPDX-License-Identifier: MIT
// The same functions for import.
import cordon from "./index.cjs";

export const { run, start, programPath, CordonError, CordonUnsupported, CordonNotStarted, CordonLost } = cordon;
export default cordon;

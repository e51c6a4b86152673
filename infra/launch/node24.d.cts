export declare const workspaceRoot: string
export declare const node24Path: string
export declare const nodeFlags: readonly string[]
export declare const followParentPath: string

// The rule language of permissions.
export {};

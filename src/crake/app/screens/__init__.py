"""The screens of the workbench, a file each: what they show as a document, and what can be changed there."""

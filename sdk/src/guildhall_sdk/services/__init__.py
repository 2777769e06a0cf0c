"""Typed services that plugins take from their call: `call.service(Directory)`; a module for each subject."""

"""The features that the platform's routes name. A plugin may declare more of its own."""

from guildhall_sdk import Feature

FEATURES = (Feature("workflows", "Publish and run workflows, triggers and knowledge extraction"),)
